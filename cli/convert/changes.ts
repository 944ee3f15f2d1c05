/** What a conversion changed, and what it could not carry over. */

/**
 * `changed`: means the same in another form. `note`: to know. `lost`: today's form has no place for it.
 * `error`: the user must write it.
 */
export type Level = 'changed' | 'note' | 'lost' | 'error';

export interface Change {
  level: Level;
  /** KIND/NAME. */
  object: string;
  /** Where it was, such as spec.template.spec.nodeDrainTimeout or spec.subnets[0].id. */
  path: string;
  /** Where it went, if elsewhere. */
  moved?: string;
  /** The value before and after; absent if it stays, or there is none. */
  from?: string;
  to?: string;
  why: string;
}

/** The changes of one object. */
export class Changes {
  readonly list: Change[] = [];
  object: string;
  constructor(object: string) {
    this.object = object;
  }

  add(level: Level, path: string, why: string, values: Pick<Change, 'moved' | 'from' | 'to'> = {}): void {
    this.list.push({ level, object: this.object, path, why, ...values });
  }

  /** A field that moves twice has one line. */
  moved(path: string, to: string, why: string, values: Pick<Change, 'from' | 'to'> = {}): void {
    const earlier = this.list.find((one) => one.level === 'changed' && one.moved === path);
    if (!earlier) {
      this.add('changed', path, why, { ...(to !== path && { moved: to }), ...values });
      return;
    }
    earlier.moved = to;
    if (values.to !== undefined) Object.assign(earlier, { from: earlier.from ?? values.from, to: values.to });
  }
}

const longest = 60;
const short = (text: string): string => {
  const line = text.replaceAll('\n', '\\n');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
};
const shown = (text: string | undefined): string =>
  text === undefined ? '(nothing)' : text === '' ? '""' : short(text);

const marks: Record<Level, string> = { changed: '', note: 'note: ', lost: 'lost: ', error: 'error: ' };

const valuesOf = ({ from, to }: Change): string => {
  if (from === undefined && to === undefined) return '';
  return to === undefined ? `: ${shown(from)}` : `: ${shown(from)} -> ${shown(to)}`;
};

/** One line: where, from what, to what, why. */
export const lineOf = (change: Change): string => {
  const { level, object, path, moved, why } = change;
  const where = [path, moved].filter((one) => one !== undefined).join(' -> ');
  return `${marks[level]}${object}${where ? `: ${where}` : ''}${valuesOf(change)} (${why})`;
};

export const hasError = (changes: readonly Change[]): boolean => changes.some(({ level }) => level === 'error');

/** 0: nothing to do by hand; 1: an error; 3: something was lost. */
export const exitCodeOf = (changes: readonly Change[]): 0 | 1 | 3 => {
  if (hasError(changes)) return 1;
  return changes.some(({ level }) => level === 'lost') ? 3 : 0;
};
