import type { Mark, Marker } from '../kinds/ports/installation.ts';
import type { Storage } from '../simulation/ports.ts';

/** An installation's mark among the simulated account's records, as a parameter of that name would be in a real one. */
export const accountMarker = (account: Storage, installation: string): Marker => {
  const marks = account.records<Mark>('marks');
  const read = async () => marks.get(installation);
  return {
    read,
    // One process writes one mark after the other.
    furthest: read,
    write: async (mark) => marks.put(installation, mark),
  };
};
