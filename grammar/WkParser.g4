// The grammar of a `.wk` text: docs/language.md, with its rules' names. Chains (operators, suffixes) are flat lists here; their
// precedence is src/frontend/expressions.cpp's.
parser grammar WkParser;

options { tokenVocab = WkLexer; }

file : item* EOF ;

// ---- Items -------------------------------------------------------------------------------------------------------------------------

item
    : useFile | param | constant | require | tune | fn | enumeration | structure | proc | kernel
    | ifItem | forItem | matchItem
    ;
itemBlock : LBRACE item* RBRACE ;
ifItem : IF expr itemBlock ( ELSE ( ifItem | itemBlock ) )? ;
forItem : FOR name IN range ( BY expr )? itemBlock ;
matchItem : MATCH expr LBRACE itemArm* RBRACE ;
itemArm : pattern FAT_ARROW itemBlock ;

useFile : USE STRING ( AS name )? SEMI ;
param : PARAM name COLON type ASSIGN expr SEMI ;
constant : CONST name ( COLON type )? ASSIGN expr SEMI ;
require : REQUIRE expr COMMA STRING SEMI ;

tune : TUNE open names RPAREN LBRACE tuneRow* RBRACE ;
tuneRow : LPAREN pattern ( COMMA pattern )* RPAREN ( WHEN expr )? FAT_ARROW LBRACE ( field ( COMMA field )* COMMA? )? RBRACE ;
field : name COLON expr ;

fn : FN name open ( typed ( COMMA typed )* )? RPAREN ARROW type ASSIGN expr SEMI ;
typed : name COLON type ;

enumeration : ENUM name LBRACE enumCase ( COMMA enumCase )* COMMA? RBRACE ;
enumCase : name ( open typed ( COMMA typed )* RPAREN )? ;

structure : STRUCT name structParameters? LBRACE structBody RBRACE ;
structParameters : open typed ( COMMA typed )* RPAREN ;
structBody : typed ( COMMA typed )* COMMA? | structRegisters* ;
structRegisters : registers | regs ;

type
    : LAYOUT kind=( LOGICAL | TV | PHYSICAL )
    | LPAREN type ( COMMA type )* RPAREN
    | path ( open exprs RPAREN )?
    ;

proc : PROC name open ( formal ( COMMA formal )* )? RPAREN block ;
formal
    : CONST name COLON type
    | name COLON way=( OUT | INOUT )? formalKind
    ;
formalKind
    : registerKind ( LBRACKET expr RBRACKET )?
    | BLOCK
    | PIPE
    | side=( PRODUCER | CONSUMER ) ( open names RPAREN )?
    | space=( GLOBAL | SHARED | TENSOR | REGS ) copies* tile?
    | path open exprs RPAREN
    ;

// ---- Kernels -----------------------------------------------------------------------------------------------------------------------

kernel : KERNEL name open ( global ( COMMA global )* COMMA? )? RPAREN ON name ( COMMA clause )* LBRACE member* RBRACE ;
global : name COLON GLOBAL way=( IN | OUT | INOUT | KEPT )? tile ( IN expr )? ;
clause
    : GRID open exprs RPAREN
    | CLUSTER open axis ( COMMA axis )* RPAREN
    | REGISTERS expr
    ;
axis : name COLON expr ;

member : buffer | pipe | barrier | constant | require | role | startBlock | finishBlock | ifMember | forMember | matchMember ;
memberBlock : LBRACE member* RBRACE ;
ifMember : IF expr memberBlock ( ELSE ( ifMember | memberBlock ) )? ;
forMember : FOR name IN range ( BY expr )? memberBlock ;
matchMember : MATCH expr LBRACE memberArm* RBRACE ;
memberArm : pattern FAT_ARROW memberBlock ;

buffer : space=( SHARED | TENSOR ) name COLON copies* tile ( IN expr )? SEMI ;
copies : kind=( RING | WARPS | WARPGROUPS ) open expr RPAREN OF ;
tile : path ( LBRACKET exprs RBRACKET )? ;
pipe : PIPE name COLON RING open expr RPAREN carries? from? to? ( ACROSS name )? BROADCAST? SEMI ;
carries : CARRIES open names RPAREN ;
from : FROM pins ;
to : TO pins ;
pins : pin ( COMMA pin )* ;
pin : name ASSIGN expr ;
barrier : BARRIER name COLON copies* expr WARPS SEMI ;

role : ROLE name open ( end ( COMMA end )* )? RPAREN ON warps ( AT pins )? ( REGISTERS expr )? block ;
end : name COLON side=( PRODUCER | CONSUMER ) name ( IN TURN open expr RPAREN )? ;
warps : kind=( WARP | WARPGROUP ) expr | kind=( WARPS | WARPGROUPS ) range ;
range : expr DOTDOT expr ;
startBlock : START block ;
finishBlock : FINISH block ;

// ---- Statements --------------------------------------------------------------------------------------------------------------------

block : LBRACE statement* RBRACE ;
statement
    : registers | regs | let | constant | require | ifStatement | forStatement | matchStatement
    | loop | when | breakWhen | on | hold | turn | action
    ;
ifStatement : IF expr block ( ELSE ( ifStatement | block ) )? ;
forStatement : FOR name IN range ( BY expr )? block ;
matchStatement : MATCH expr LBRACE statementArm* RBRACE ;
statementArm : pattern FAT_ARROW block ;

registerKind : R | UR | P | UP ;
registers : registerKind declarator ( COMMA declarator )* SEMI ;
declarator : name ( LBRACKET expr RBRACKET )? ( COLON range ( BY expr )? )? ;
regs : REGS name COLON path ( open exprs RPAREN | ( LBRACKET exprs RBRACKET )? IN expr ) SEMI ;
let : LET name ASSIGN expr SEMI ;

loop : LOOP ( name IN range ( BY expr )? )? block ;
when : WHEN expr block ( ELSE block )? ;
breakWhen : BREAK WHEN expr SEMI ;
on : ON LPAREN expr RPAREN block ;
hold : kind=( FILL | TAKE | DRAIN ) path block ;
turn : TURN path OF expr block ;

// A call or an instruction, told apart by the parenthesis right after the name. What a call may not have of it, and an instruction, and in
// which order named operands come, src/frontend/statements.cpp says.
action : guard? opcode ( CALL_OPEN arguments? RPAREN ( SEMI | block ) | arguments? ( ( ACROSS | FOR ) name ( COMMA argument )* )? SEMI ) ;
arguments : argument ( COMMA argument )* ;
argument : ( name COLON )? expr ;

guard : GUARD ( NOT? path | LPAREN expr RPAREN ) ;
opcode : opcodeName ( DOT word )* ;

// ---- Expressions -------------------------------------------------------------------------------------------------------------------

expr : ifExpr | matchExpr | chain ;
ifExpr : IF expr LBRACE expr RBRACE ELSE ( LBRACE expr RBRACE | expr ) ;
matchExpr : MATCH expr LBRACE exprArm ( COMMA exprArm )* COMMA? RBRACE ;
exprArm : pattern FAT_ARROW expr ;

chain : unary link* ;
link : infix unary | IS pattern ;
infix
    : OROR | ANDAND | OR | XOR | AND | EQ | NE | LT | LE | GT | GE | SHL | SHR | PLUS | MINUS | STAR | SLASH | PERCENT
    ;
unary : ( MINUS | NOT )? postfix ;
postfix : primary suffix* ;
suffix
    : DOT word
    | CALL_OPEN arguments? RPAREN
    | LBRACKET coord ( COMMA coord )* RBRACKET
    | AT open pins RPAREN
    ;
coord : DOTDOT | expr ( PLUS_COLON expr )? ;
primary
    : NUMBER | STRING | TRUE | FALSE | name
    | LPAREN exprs RPAREN ( COLON postfix )?
    ;
exprs : expr ( COMMA expr )* ;

pattern
    : UNDERSCORE
    | TRUE
    | FALSE
    | integer ( DOTDOT integer )?
    | path ( open pattern ( COMMA pattern )* RPAREN )?
    | LPAREN pattern ( COMMA pattern )* RPAREN
    ;
integer : MINUS? NUMBER ;

// ---- Names -------------------------------------------------------------------------------------------------------------------------

path : name ( DOT name )* ;
names : name ( COMMA name )* ;
open : LPAREN | CALL_OPEN ;

name : opcodeName | R | UR | P | UP ;

// No instruction is called as a register is declared.
opcodeName
    : NAME | START | FINISH | RING | WARP | WARPS | WARPGROUP | WARPGROUPS | OF | GRID | CLUSTER | REGISTERS | CARRIES | FROM | TO
    | ACROSS | BROADCAST | AT | BLOCK | OUT | INOUT | KEPT | LAYOUT | LOGICAL | TV | PHYSICAL
    ;

// Behind a dot any word may stand.
word
    : name | NUMBER | USE | AS | PARAM | CONST | REQUIRE | TUNE | WHEN | FN | ENUM | STRUCT | PROC | KERNEL | LET | IF | ELSE | MATCH
    | FOR | IN | BY | LOOP | BREAK | ON | FILL | TAKE | DRAIN | TURN | IS | TRUE | FALSE | REGS | SHARED | TENSOR | GLOBAL | PIPE
    | BARRIER | ROLE | PRODUCER | CONSUMER
    ;
