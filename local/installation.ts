/** The installation's position, kept between the objects of this process and its simulated account. */
import { openPosition, type Position } from '../adapters/installation/index.ts';
import { installationTag } from '../kinds/aws-cluster/tags.ts';
import type { Freeze } from '../kinds/ports/installation.ts';
import type { Kinds } from '../machinery/controller/index.ts';
import type { Log, Table } from '../machinery/ports.ts';
import type { Store } from '../machinery/store/index.ts';
import type { Account } from '../simulation/aws/index.ts';
import type { Storage } from '../simulation/ports.ts';
import { accountMarker } from './marker.ts';

/** Without any object of these, nothing in the account is anybody's. */
const makers = ['Cluster', 'AWSCluster', 'AWSMachine'];

export const installationPosition = (options: {
  installation: string;
  objects: Table;
  storage: Storage;
  account: Account;
  store: Store;
  kinds: Kinds;
  log: Log;
  onChange: (freeze: Freeze | undefined) => void;
}): Position => {
  const { installation, objects, storage, account, store, kinds, log, onChange } = options;
  return openPosition({
    installation,
    table: objects,
    marker: accountMarker(storage, installation),
    isEmpty: async () => {
      for (const kind of makers)
        if ((await store.list(kinds.typeOf(kind), { limit: 1 })).objects.length > 0) return false;
      return true;
    },
    regionsHeld: async () => {
      const own = account.list().filter(({ tags }) => tags[installationTag] === installation);
      return [...new Set(own.map(({ region }) => region))].sort();
    },
    log,
    onChange,
  });
};
