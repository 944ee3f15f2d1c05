import type { Mark, Marker } from '../kinds/ports/installation.ts';
import type { Storage } from '../simulation/ports.ts';

/** The installation's mark in the simulated account, stored like a Systems Manager parameter. */
export const accountMarker = (account: Storage, installation: string): Marker => {
  const marks = account.records<Mark>('marks');
  const read = async () => marks.get(installation);
  return {
    read,
    // A single process writes marks in order.
    furthest: read,
    write: async (mark) => marks.put(installation, mark),
  };
};
