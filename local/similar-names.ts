/** The Levenshtein distance. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
};

/** At most three names that are similar to `meant`, the most similar first. */
export const nearest = (names: readonly string[], meant: string): string[] => {
  const wanted = meant.toLowerCase();
  return names
    .map((name) => ({ name, far: distance(name.toLowerCase(), wanted) }))
    .filter(({ name, far }) => far <= Math.max(2, wanted.length / 4) || name.toLowerCase().includes(wanted))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
};
