/** The name of the only Installation. */
export const installationName = 'capstan';
