/**
 * The version of the stored format: of everything in the tables and files of an installation. Each installation
 * records it, and is not taken back to a version of Capstan with a lower one.
 *
 * Raise it in the first release that writes what the release before could not read, or would damage by writing
 * it back. What an older release merely ignores does not raise it. On AWS a new form is written only while the
 * table records the format (`format-record.ts`), because functions of both releases run during a deployment.
 */
export const storedFormat = 2;
/** From this format on encrypted objects are encrypted for a purpose. */
export const formatOfPurposes = 2;
/** Of installations that record none. */
export const unrecordedFormat = 1;
