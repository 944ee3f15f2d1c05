/** One seeded defect: a text in one file, in the place of another. */
export interface Mutant {
  /** What the system then does wrong. */
  name: string;
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
  /** How the paths of tests begin that may notice, cheapest first; simulation comes after them. */
  suites: readonly string[];
}

/** Undefined when the text is not there, or more than once: then the mutant tests nothing. */
export const mutated = ({ find, replace }: Pick<Mutant, 'find' | 'replace'>, source: string): string | undefined => {
  const at = source.indexOf(find);
  if (at < 0 || source.includes(find, at + 1) || find === replace) return undefined;
  return source.slice(0, at) + replace + source.slice(at + find.length);
};
