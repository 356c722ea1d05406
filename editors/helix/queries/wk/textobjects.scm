(kernel body: (_) @function.inside) @function.around
(role body: (_) @function.inside) @function.around
(proc body: (_) @function.inside) @function.around
(function value: (_) @function.inside) @function.around

(struct) @class.around
(enum) @class.around

(arguments (_) @parameter.inside)
(instruction (_) @parameter.inside)

[(line_comment) (doc_comment) (block_comment)] @comment.inside
[(line_comment) (doc_comment)]+ @comment.around
