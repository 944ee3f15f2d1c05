/**
 * On the Installation while objects are being restored: the command that goes on. Without its options it
 * would remove objects that the user keeps, or read with another key.
 */
export const restoringAnnotation = 'capstan.dev/restoring';
