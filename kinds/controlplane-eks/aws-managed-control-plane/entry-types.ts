/** The type of an access entry for users and roles that are no nodes. */
export const standard = 'standard';
