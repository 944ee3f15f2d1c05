import type { Records } from '../ports.ts';

/** The same records with a change listener. */
export const heard = <T>(records: Records<T>, hear: (id: string) => void): Records<T> => ({
  ...records,
  put: (id, value) => {
    records.put(id, value);
    hear(id);
  },
  delete: (id) => {
    records.delete(id);
    hear(id);
  },
});
