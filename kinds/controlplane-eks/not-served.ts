/** Why a field is refused that would change nothing. */
export const notYet = 'is not acted on by Capstan: leave it out';
