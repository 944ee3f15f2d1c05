/** On the Installation while objects are being restored: the table from which. */
export const restoringAnnotation = 'capstan.dev/restoring';
