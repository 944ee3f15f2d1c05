/**
 * The version of the stored format: of everything in the tables and files of an installation. Each installation
 * records it, and is not taken back to a version of Capstan with a lower one.
 *
 * Raise it in the first release that writes what the release before could not read, or would damage by writing
 * it back. What an older release merely ignores does not raise it. Because a failed deployment rolls back, let
 * one release read the new form before the next one writes it.
 */
export const storedFormat = 1;
/** Of installations that record none. */
export const unrecordedFormat = 1;
