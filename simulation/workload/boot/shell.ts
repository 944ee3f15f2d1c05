/** As much of a shell as bootstrap commands need: quoting, `&&`, `||`, `;` and redirections; no expansion. */

export interface SimpleCommand {
  words: string[];
  redirect?: { path: string; append: boolean };
  /** When to run it, by the result of the previous command. */
  after: 'always' | 'success' | 'failure';
}

type Token = { word: string } | { operator: string };

const operators = ['&&', '||', '>>', ';', '\n', '>', '|', '&'];

const tokenize = (line: string): Token[] => {
  const tokens: Token[] = [];
  let word: string | undefined;
  const flush = () => {
    if (word !== undefined) tokens.push({ word });
    word = undefined;
  };
  for (let at = 0; at < line.length; ) {
    const char = line[at]!;
    const operator = operators.find((candidate) => line.startsWith(candidate, at));
    const duplicated = /^[0-9]?>&[0-9-]/.exec(line.slice(at))?.[0];
    if (word === undefined && duplicated) at += duplicated.length;
    else if (word === undefined && char === '#') {
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

/** Throws on an unterminated quotation. Pipes and background jobs count as separate commands. */
export const parseCommands = (line: string): SimpleCommand[] => {
  const commands: SimpleCommand[] = [];
  let current: SimpleCommand = { words: [], after: 'always' };
  const tokens = tokenize(line);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if ('word' in token) {
      current.words.push(token.word);
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
    if (current.words.length > 0) commands.push(current);
    const after = token.operator === '&&' ? 'success' : token.operator === '||' ? 'failure' : 'always';
    current = { words: [], after };
  }
  if (current.words.length > 0) commands.push(current);
  return commands;
};

/** The command's words without leading `sudo`, `env`, `nohup` and assignments. */
export const bareWords = (words: string[]): string[] => {
  const start = words.findIndex((word) => !/^(?:sudo|env|nohup|exec|-E|[A-Za-z_]\w*=.*)$/.test(word));
  return start < 0 ? [] : words.slice(start);
};
