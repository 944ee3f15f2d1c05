/** Annotations that ask for something about a stored file. Each new value asks anew. */

/** Offers the file for download. */
export const downloadAnnotation = 'capstan.dev/download';
/** Reads the whole file of an EtcdSnapshot and checks it. */
export const verifyAnnotation = 'capstan.dev/verify';
