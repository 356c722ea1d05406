[
  (block)
  (kernel_body)
  (tune)
  (enum)
  (struct)
  (match)
  (block_comment)
] @fold
