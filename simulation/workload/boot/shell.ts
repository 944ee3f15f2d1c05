/**
 * As much of a shell as bootstrap commands need: quoting, `&&`, `||`, `;`, redirections and here-documents;
 * no expansion.
 */

export interface SimpleCommand {
  argv: string[];
  redirect?: { path: string; append: boolean };
  /** What it reads; undefined content: only the host knows it. */
  input?: { content: string | undefined };
  /** Within `if`, a loop or a function: whether it runs is not known. */
  isNested?: true;
  /** When to run it, by the result of the previous command. */
  after: 'always' | 'success' | 'failure';
}

interface HereDocument {
  content: string | undefined;
}
type Token = { word: string } | { operator: string } | { input: HereDocument };

const operators = ['&&', '||', '>>', ';', '\n', '>', '|', '&'];

const hereDocument = /^<<(-?)[ \t]*(['"\\]?)([\w.-]+)['"]?/;

/** The body at the begin of `text`, and how long it is with its last line. */
const bodyOf = (text: string, dash: string, end: string): { body: string; length: number } => {
  const lines = text.split('\n');
  const at = lines.findIndex((one) => (dash ? one.replace(/^\t+/, '') : one) === end);
  const body = at < 0 ? lines : lines.slice(0, at);
  const length = at < 0 ? text.length : lines.slice(0, at + 1).join('\n').length;
  return { body: body.map((one) => `${dash ? one.replace(/^\t+/, '') : one}\n`).join(''), length };
};

const tokenize = (line: string): Token[] => {
  const tokens: Token[] = [];
  const awaited: { dash: string; isLiteral: boolean; end: string; input: HereDocument }[] = [];
  let word: string | undefined;
  const flush = () => {
    if (word !== undefined) tokens.push({ word });
    word = undefined;
  };
  for (let at = 0; at < line.length; ) {
    const char = line[at]!;
    const operator = operators.find((candidate) => line.startsWith(candidate, at));
    const duplicated = /^[0-9]?>&[0-9-]/.exec(line.slice(at))?.[0];
    const [here, dash = '', quote = '', end = ''] = hereDocument.exec(line.slice(at)) ?? [];
    if (word === undefined && duplicated) at += duplicated.length;
    else if (here !== undefined && !line.startsWith('<<<', at)) {
      flush();
      const input: HereDocument = { content: undefined };
      awaited.push({ dash, isLiteral: quote !== '', end, input });
      tokens.push({ input });
      at += here.length;
    } else if (char === '\n' && awaited.length > 0) {
      flush();
      tokens.push({ operator: '\n' });
      at++;
      for (const one of awaited.splice(0)) {
        const { body, length } = bodyOf(line.slice(at), one.dash, one.end);
        if (one.isLiteral || !/[$`\\]/.test(body)) one.input.content = body;
        at += length;
      }
    } else if (word === undefined && char === '#') {
      const end = line.indexOf('\n', at);
      at = end < 0 ? line.length : end;
    } else if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1);
      if (end < 0) throw new Error('Syntax error: Unterminated quoted string');
      word = (word ?? '') + line.slice(at + 1, end);
      at = end + 1;
    } else if (char === '\\') {
      word = (word ?? '') + (line[at + 1] === '\n' ? '' : (line[at + 1] ?? ''));
      at += 2;
    } else if (operator) {
      // A digit just before `>` names the stream, as in 2>&1.
      const isStream = operator.startsWith('>') && word !== undefined && /^[0-9]$/.test(word);
      if (isStream) word = undefined;
      else flush();
      tokens.push({ operator });
      at += operator.length;
    } else if (/\s/.test(char)) {
      flush();
      at++;
    } else {
      word = (word ?? '') + char;
      at++;
    }
  }
  flush();
  return tokens;
};

const opening = /^(?:if|while|until|for|case|\{|\()$/;
const closing = /^(?:fi|done|esac|\}|\))$/;

/** What it passes on through a pipe. */
const outputOf = ({ argv, redirect, input }: SimpleCommand): SimpleCommand['input'] => {
  const [program, ...args] = commandOf(argv);
  if (redirect) return undefined;
  if (program === 'cat' && args.length === 0) return input;
  return program === 'echo' ? { content: textOf(args) } : undefined;
};

/** What `echo` and `printf` print. */
export const textOf = (args: readonly string[]): string =>
  `${args.filter((word) => !/^-[en]+$/.test(word)).join(' ')}\n`;

/** Throws on an unterminated quotation. Pipes and background jobs count as separate commands. */
export const parseCommands = (line: string): SimpleCommand[] => {
  const commands: SimpleCommand[] = [];
  let current: SimpleCommand = { argv: [], after: 'always' };
  let depth = 0;
  const end = () => {
    const [first = '', second = ''] = current.argv;
    const isFunction = first === 'function' || /\(\)$/.test(first) || second === '()';
    if (opening.test(first) || (isFunction && current.argv.includes('{'))) depth++;
    const isNested = depth > 0;
    if (closing.test(first)) depth = Math.max(0, depth - 1);
    if (current.argv.length > 0) commands.push(isNested ? { ...current, isNested } : current);
  };
  const tokens = tokenize(line);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if ('word' in token) {
      current.argv.push(token.word);
      continue;
    }
    if ('input' in token) {
      current.input = token.input;
      continue;
    }
    if (token.operator.startsWith('>')) {
      const target = tokens[at + 1];
      if (target && 'word' in target) {
        current.redirect = { path: target.word, append: token.operator === '>>' };
        at++;
      }
      continue;
    }
    end();
    const input = token.operator === '|' ? outputOf(current) : undefined;
    const after = token.operator === '&&' ? 'success' : token.operator === '||' ? 'failure' : 'always';
    current = { argv: [], after, ...(input && { input }) };
  }
  end();
  return commands;
};

/** The command's words without leading `sudo`, `env`, `nohup` and assignments. */
export const commandOf = (argv: string[]): string[] => {
  const start = argv.findIndex((word) => !/^(?:sudo|env|nohup|exec|-E|[A-Za-z_]\w*=.*)$/.test(word));
  return start < 0 ? [] : argv.slice(start);
};
