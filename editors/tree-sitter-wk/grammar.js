// The grammar of `.wk` for editors that colour by tree-sitter: docs/language.md, section 16, whose grammar for the compiler is grammar/WkParser.g4.
// What that leaves to later steps (which numbers there are, what a call may not have) is left open here as well.

// C's precedence; `is` binds like a comparison.
const BINARY = [
  ['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'], ['+', '-'], ['*', '/', '%'],
];
const COMPARISON = 7;
const UNARY = BINARY.length + 1;
const POSTFIX = UNARY + 1;

const list = rule => seq(rule, repeat(seq(',', rule)));
const list_with_end = rule => seq(list(rule), optional(','));
const tuple = rule => seq('(', list(rule), ')');

// The three kinds of `if`, `for` and `match` that hold items, members or statements: the same but for their blocks.
const if_of = ($, self, block) => seq(
  'if', field('condition', $.expression), field('then', block), optional(seq('else', field('else', choice(self, block)))));
const for_of = ($, block) => seq(
  'for', field('name', $.identifier), 'in', $.range, optional(seq('by', field('step', $.expression))), field('body', block));
const match_of = ($, arm) => seq('match', field('value', $.expression), '{', repeat(alias(arm, $.arm)), '}');
const arm_of = ($, body) => seq($.pattern, '=>', field('value', body));

module.exports = grammar({
  name: 'wk',
  word: $ => $.identifier,
  extras: $ => [/[ \t\r\n\f]/, $.line_comment, $.doc_comment, $.block_comment],
  supertypes: $ => [$.item, $.member, $.statement, $.expression, $.pattern],

  // `role … on warp 0 at half = 0`, and `slots at (half = 0)`: known by what follows the `at`.
  conflicts: $ => [[$.warps, $.at], [$.range, $.at]],

  rules: {
    file: $ => repeat($.item),

    // ---- Items

    item: $ => choice(
      $.use, $.param, $.constant, $.require, $.tune, $.function, $.enum, $.struct, $.proc, $.kernel,
      alias($.item_if, $.if), alias($.item_for, $.for), alias($.item_match, $.match)),
    item_block: $ => seq('{', repeat($.item), '}'),
    item_if: $ => if_of($, alias($.item_if, $.if), alias($.item_block, $.block)),
    item_for: $ => for_of($, alias($.item_block, $.block)),
    item_match: $ => match_of($, $.item_arm),
    item_arm: $ => arm_of($, alias($.item_block, $.block)),

    use: $ => seq('use', field('path', $.string), optional(seq('as', field('name', $.identifier))), ';'),
    param: $ => seq('param', field('name', $.identifier), ':', field('type', $.type), '=', field('value', $.expression), ';'),
    constant: $ => seq(
      'const', field('name', $.identifier), optional(seq(':', field('type', $.type))), '=', field('value', $.expression), ';'),
    require: $ => seq('require', field('condition', $.expression), ',', field('message', $.string), ';'),

    tune: $ => seq('tune', tuple($.identifier), '{', repeat($.tune_row), '}'),
    tune_row: $ => seq(
      tuple($.pattern), optional(seq('when', $.expression)), '=>', '{', optional(list_with_end($.field)), '}'),
    field: $ => seq(field('name', $.identifier), ':', field('value', $.expression)),

    function: $ => seq(
      'fn', field('name', $.identifier), '(', optional(list($.typed)), ')', '->', field('type', $.type), '=',
      field('value', $.expression), ';'),
    typed: $ => seq(field('name', $.identifier), ':', field('type', $.type)),

    enum: $ => seq('enum', field('name', $.identifier), '{', list_with_end($.enum_case), '}'),
    enum_case: $ => seq(field('name', $.identifier), optional(tuple($.typed))),

    struct: $ => seq(
      'struct', field('name', $.identifier), optional(tuple($.typed)), '{',
      choice(optional(list_with_end($.typed)), repeat1(choice($.registers, $.regs))), '}'),

    type: $ => choice(
      seq('layout', choice('logical', 'tv', 'physical')),
      tuple($.type),
      seq($.path, optional(tuple($.expression)))),

    proc: $ => seq('proc', field('name', $.identifier), '(', optional(list($.formal)), ')', field('body', $.block)),
    formal: $ => choice(
      seq('const', field('name', $.identifier), ':', field('type', $.type)),
      seq(field('name', $.identifier), ':', optional(choice('out', 'inout')), field('kind', $.formal_kind))),
    formal_kind: $ => choice(
      seq($.register_kind, optional(seq('[', $.expression, ']'))),
      'block',
      'pipe',
      seq(choice('producer', 'consumer'), optional(tuple($.identifier))),
      seq(choice('global', 'shared', 'tensor', 'regs'), repeat($.copies), optional($.tile)),
      seq($.path, tuple($.expression))),

    // ---- Kernels

    kernel: $ => seq(
      'kernel', field('name', $.identifier), '(', optional(list_with_end($.global)), ')', 'on', field('target', $.identifier),
      repeat(seq(',', $.clause)), field('body', $.kernel_body)),
    kernel_body: $ => seq('{', repeat($.member), '}'),
    global: $ => seq(
      field('name', $.identifier), ':', 'global', optional(choice('in', 'out', 'inout', 'kept')), $.tile,
      optional(seq('in', field('layout', $.expression)))),
    clause: $ => choice(
      seq('grid', tuple($.expression)),
      seq('cluster', tuple($.axis)),
      seq('registers', $.expression)),
    axis: $ => seq(field('name', $.identifier), ':', field('extent', $.expression)),

    member: $ => choice(
      $.buffer, $.pipe, $.barrier, $.constant, $.require, $.role, $.start, $.finish,
      alias($.member_if, $.if), alias($.member_for, $.for), alias($.member_match, $.match)),
    member_block: $ => seq('{', repeat($.member), '}'),
    member_if: $ => if_of($, alias($.member_if, $.if), alias($.member_block, $.block)),
    member_for: $ => for_of($, alias($.member_block, $.block)),
    member_match: $ => match_of($, $.member_arm),
    member_arm: $ => arm_of($, alias($.member_block, $.block)),

    buffer: $ => seq(
      choice('shared', 'tensor'), field('name', $.identifier), ':', repeat($.copies), $.tile,
      optional(seq('in', field('layout', $.expression))), ';'),
    copies: $ => seq(choice('ring', 'warps', 'warpgroups'), '(', $.expression, ')', 'of'),
    tile: $ => seq(field('element', $.path), optional(seq('[', list($.expression), ']'))),
    pipe: $ => seq(
      'pipe', field('name', $.identifier), ':', 'ring', '(', field('depth', $.expression), ')',
      optional(seq('carries', tuple($.identifier))), optional(seq('from', list($.pin))), optional(seq('to', list($.pin))),
      optional(seq('across', $.identifier)), optional('broadcast'), ';'),
    pin: $ => seq(field('axis', $.identifier), '=', field('value', $.expression)),
    barrier: $ => seq('barrier', field('name', $.identifier), ':', repeat($.copies), $.expression, 'warps', ';'),

    role: $ => seq(
      'role', field('name', $.identifier), '(', optional(list($.end)), ')', 'on', $.warps, optional(seq('at', list($.pin))),
      optional(seq('registers', $.expression)), field('body', $.block)),
    end: $ => seq(
      field('name', $.identifier), ':', choice('producer', 'consumer'), field('pipe', $.identifier),
      optional(seq('in', 'turn', '(', $.expression, ')'))),
    warps: $ => choice(seq(choice('warp', 'warpgroup'), $.expression), seq(choice('warps', 'warpgroups'), $.range)),
    range: $ => seq(field('begin', $.expression), '..', field('end', $.expression)),
    start: $ => seq('start', field('body', $.block)),
    finish: $ => seq('finish', field('body', $.block)),

    // ---- Statements

    block: $ => seq('{', repeat($.statement), '}'),
    statement: $ => choice(
      $.registers, $.regs, $.let, $.constant, $.require,
      alias($.statement_if, $.if), alias($.statement_for, $.for), alias($.statement_match, $.match),
      $.loop, $.when, $.break, $.on, $.hold, $.turn, $.call_statement, $.instruction),
    statement_if: $ => if_of($, alias($.statement_if, $.if), $.block),
    statement_for: $ => for_of($, $.block),
    statement_match: $ => match_of($, $.statement_arm),
    statement_arm: $ => arm_of($, $.block),

    register_kind: _ => choice('r', 'ur', 'p', 'up'),
    registers: $ => seq($.register_kind, list($.declarator), ';'),
    declarator: $ => seq(
      field('name', $.identifier), optional(seq('[', $.expression, ']')),
      optional(seq(':', $.range, optional(seq('by', $.expression))))),
    regs: $ => seq(
      'regs', field('name', $.identifier), ':', $.path,
      choice(tuple($.expression), seq(optional(seq('[', list($.expression), ']')), 'in', field('layout', $.expression))), ';'),
    let: $ => seq('let', field('name', $.identifier), '=', field('value', $.expression), ';'),

    loop: $ => seq(
      'loop', optional(seq(field('name', $.identifier), 'in', $.range, optional(seq('by', $.expression)))), field('body', $.block)),
    when: $ => seq('when', field('condition', $.expression), field('then', $.block), optional(seq('else', field('else', $.block)))),
    break: $ => seq('break', 'when', $.expression, ';'),
    on: $ => seq('on', '(', $.expression, ')', field('body', $.block)),
    hold: $ => seq(choice('fill', 'take', 'drain'), field('end', $.path), field('body', $.block)),
    turn: $ => seq('turn', field('end', $.path), 'of', $.expression, field('body', $.block)),

    // A call or an instruction, told apart by the parenthesis right behind the name.
    call_statement: $ => seq(
      optional($.guard), field('function', $.path), $.arguments, choice(';', field('body', $.block))),
    instruction: $ => seq(
      optional($.guard), field('opcode', alias($.path, $.opcode)), optional(list($._argument)),
      optional(seq(choice('across', 'for'), field('axis', $.identifier), repeat(seq(',', $._argument)))), ';'),
    arguments: $ => seq(token.immediate('('), optional(list($._argument)), ')'),
    _argument: $ => choice($.named_argument, $.expression),
    named_argument: $ => seq(field('name', $.identifier), ':', field('value', $.expression)),
    guard: $ => seq('@', choice(seq(optional('!'), $.path), seq('(', $.expression, ')'))),

    // ---- Expressions

    expression: $ => choice(
      alias($.if_expression, $.if), alias($.match_expression, $.match), $.binary, $.is, $.unary,
      $.member_access, $.call, $.view, $.at, $.layout, $.tuple, $.number, $.string, $.boolean, $.identifier),
    if_expression: $ => prec.right(seq(
      'if', field('condition', $.expression), '{', field('then', $.expression), '}', 'else',
      choice(seq('{', field('else', $.expression), '}'), field('else', $.expression)))),
    match_expression: $ => seq(
      'match', field('value', $.expression), '{', list_with_end(alias($.expression_arm, $.arm)), '}'),
    expression_arm: $ => arm_of($, $.expression),

    binary: $ => choice(...BINARY.map((operators, level) => prec.left(level + 1, seq(
      field('left', $.expression), field('operator', choice(...operators)), field('right', $.expression))))),
    is: $ => prec.left(COMPARISON, seq(field('value', $.expression), 'is', $.pattern)),
    unary: $ => prec(UNARY, seq(field('operator', choice('-', '!')), $.expression)),
    member_access: $ => prec(POSTFIX, seq(field('of', $.expression), '.', field('member', $.member_name))),
    call: $ => prec(POSTFIX, seq(field('function', $.expression), $.arguments)),
    view: $ => prec(POSTFIX, seq(field('of', $.expression), '[', list($.coordinate), ']')),
    at: $ => seq(field('of', $.expression), 'at', tuple($.pin)),
    coordinate: $ => choice('..', seq($.expression, optional(seq('+:', $.expression)))),
    tuple: $ => tuple($.expression),
    layout: $ => prec.right(POSTFIX, seq(field('shape', $.tuple), ':', field('stride', $.expression))),

    pattern: $ => choice('_', $.boolean, $.number_pattern, $.case_pattern, $.tuple_pattern),
    number_pattern: $ => prec.right(seq($._integer, optional(seq('..', $._integer)))),
    _integer: $ => seq(optional('-'), $.number),
    // Behind `v is rows` the parenthesis is the pattern's, and makes no call.
    case_pattern: $ => prec.right(POSTFIX, seq($.path, optional(seq(choice('(', token.immediate('(')), list($.pattern), ')')))),
    tuple_pattern: $ => tuple($.pattern),

    // ---- Words

    path: $ => prec.right(seq($.identifier, repeat(seq('.', $.member_name)))),
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,
    member_name: _ => /[A-Za-z0-9_]+/,  // behind a dot any word may stand, and an index
    number: _ => /[0-9][A-Za-z0-9_]*/,
    boolean: _ => choice('true', 'false'),
    // What is in a string is no comment.
    string: $ => seq('"', repeat(choice($.escape, token.immediate(prec(1, /[^"\\\r\n]+/)))), '"'),
    escape: _ => token.immediate(/\\[^\r\n]/),

    line_comment: _ => /\/\/([^\/\r\n][^\r\n]*|\/\/[^\r\n]*)?/,
    doc_comment: _ => /\/\/\/([^\/\r\n][^\r\n]*)?/,
    block_comment: _ => /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//,
  },
});
