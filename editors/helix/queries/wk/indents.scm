[
  (block)
  (kernel_body)
  (tune)
  (tune_row)
  (enum)
  (struct)
  (match)
  (arguments)
  (instruction)
] @indent

["}" ")"] @outdent
