const listed = 5;
/** The first names, and the number of the others. */
export const nameList = (names: readonly string[]): string =>
  names.length > listed
    ? `${names.slice(0, listed).join(', ')}, ... (${names.length - listed} more)`
    : names.join(', ');
