const listed = 5;

/** The first names, and the number of the others. */
export const listOf = (names: readonly string[], most = listed): string => {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
};
