/** Groups of users that the deployment names; no identity provider can assert them. */
export const administratorsGroup = 'capstan:administrators';
export const viewersGroup = 'capstan:viewers';
/** Its members pass, whatever their rights. */
export const breakGlassGroup = 'capstan:break-glass';
