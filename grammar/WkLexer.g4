// The words of a `.wk` text (docs/language.md). Bytes of other characters than ASCII arrive as DEL (src/frontend/tokens.cpp): they may stand
// in comments and strings only.
lexer grammar WkLexer;

// `(` right after a name, which makes a call of it; given to the `(` tokens by src/frontend/tokens.cpp.
// And `.` or `@` that ends its line: what belongs behind it has not been typed yet, and is not what the next line begins with.
tokens { CALL_OPEN, DANGLING }

// Reserved.
USE : 'use' ;
AS : 'as' ;
PARAM : 'param' ;
CONST : 'const' ;
REQUIRE : 'require' ;
TUNE : 'tune' ;
WHEN : 'when' ;
FN : 'fn' ;
ENUM : 'enum' ;
STRUCT : 'struct' ;
PROC : 'proc' ;
KERNEL : 'kernel' ;
LET : 'let' ;
IF : 'if' ;
ELSE : 'else' ;
MATCH : 'match' ;
FOR : 'for' ;
IN : 'in' ;
BY : 'by' ;
LOOP : 'loop' ;
BREAK : 'break' ;
ON : 'on' ;
FILL : 'fill' ;
TAKE : 'take' ;
DRAIN : 'drain' ;
TURN : 'turn' ;
IS : 'is' ;
TRUE : 'true' ;
FALSE : 'false' ;
REGS : 'regs' ;
SHARED : 'shared' ;
TENSOR : 'tensor' ;
GLOBAL : 'global' ;
PIPE : 'pipe' ;
BARRIER : 'barrier' ;
ROLE : 'role' ;
PRODUCER : 'producer' ;
CONSUMER : 'consumer' ;

// These mean something in one place and are names elsewhere (`name` in the parser).
R : 'r' ;
UR : 'ur' ;
P : 'p' ;
UP : 'up' ;
START : 'start' ;
FINISH : 'finish' ;
RING : 'ring' ;
WARP : 'warp' ;
WARPS : 'warps' ;
WARPGROUP : 'warpgroup' ;
WARPGROUPS : 'warpgroups' ;
OF : 'of' ;
GRID : 'grid' ;
CLUSTER : 'cluster' ;
REGISTERS : 'registers' ;
CARRIES : 'carries' ;
FROM : 'from' ;
TO : 'to' ;
ACROSS : 'across' ;
BROADCAST : 'broadcast' ;
AT : 'at' ;
BLOCK : 'block' ;
OUT : 'out' ;
INOUT : 'inout' ;
KEPT : 'kept' ;
LAYOUT : 'layout' ;
LOGICAL : 'logical' ;
TV : 'tv' ;
PHYSICAL : 'physical' ;

UNDERSCORE : '_' ;
NAME : [A-Za-z_] [A-Za-z0-9_]* ;
NUMBER : [0-9] [A-Za-z0-9_]* ;  // what of these is a number, src/frontend/literals.cpp says
STRING : '"' ( '\\' ~[\r\n] | ~["\\\r\n] )* '"' ;
UNTERMINATED_STRING : '"' ( '\\' ~[\r\n] | ~["\\\r\n] )* '\\'? ;

LPAREN : '(' ;
RPAREN : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
SEMI : ';' ;
COMMA : ',' ;
COLON : ':' ;
PLUS_COLON : '+:' ;
DOT : '.' ;
DOTDOT : '..' ;
ARROW : '->' ;
FAT_ARROW : '=>' ;
ASSIGN : '=' ;
GUARD : '@' ;

OROR : '||' ;
ANDAND : '&&' ;
EQ : '==' ;
NE : '!=' ;
LE : '<=' ;
GE : '>=' ;
SHL : '<<' ;
SHR : '>>' ;
LT : '<' ;
GT : '>' ;
OR : '|' ;
XOR : '^' ;
AND : '&' ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
NOT : '!' ;

DOC : '///' ( ~[/\r\n] ~[\r\n]* )? -> channel(HIDDEN) ;
LINE_COMMENT : '//' ( ~[\r\n] )* -> skip ;
COMMENT : '/*' ( ~'*' | '*'+ ~[*/] )* '*'+ '/' -> skip ;
UNTERMINATED_COMMENT : '/*' ( ~'*' | '*'+ ~[*/] )* '*'* ;
SPACE : [ \t\r\n\f]+ -> skip ;
UNKNOWN : . ;
