/** Annotations that ask for something about a stored file. Each new value asks anew. */

/** Offers the file for download. */
export const downloadAnnotation = 'capstan.dev/download';
/** Makes those Secrets of a cluster again that are absent, from the keys kept with an EtcdSnapshot. */
export const restoreKeysAnnotation = 'capstan.dev/restore-keys';
/** Reads the whole file of an EtcdSnapshot and checks it. */
export const verifyAnnotation = 'capstan.dev/verify';
