/** The installation's position in one process, with the simulated account. */
import { makers, openPosition, type Position } from '../adapters/installation/index.ts';
import { installationTag } from '../kinds/infrastructure-aws/engine/tags.ts';
import type { Freeze } from '../kinds/ports/installation.ts';
import type { Kinds } from '../machinery/controller/index.ts';
import type { Log, Table } from '../machinery/ports.ts';
import { existsAny } from '../machinery/store/index.ts';
import type { Account } from '../simulation/aws/index.ts';
import type { Storage } from '../simulation/ports.ts';
import { accountMarker } from './account-marker.ts';

export const installationPosition = (options: {
  installation: string;
  objects: Table;
  storage: Storage;
  account: Account;
  kinds: Kinds;
  log: Log;
  onChange: (freeze: Freeze | undefined) => void;
}): Position => {
  const { installation, objects, storage, account, kinds, log, onChange } = options;
  return openPosition({
    installation,
    table: objects,
    marker: accountMarker(storage, installation),
    isEmpty: async () => !(await existsAny(objects, makers.map(kinds.typeOf))),
    regionsHeld: async () => {
      const own = account.list().filter(({ tags }) => tags[installationTag] === installation);
      return [...new Set(own.map(({ region }) => region))].sort();
    },
    log,
    onChange,
  });
};
