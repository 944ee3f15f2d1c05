/** The one object of the kind Installation. */
export const installationName = 'capstan';
