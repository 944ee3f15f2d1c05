/**
 * A client writes, reads and deletes objects that create nothing. It checks what the API promises
 * for all objects.
 */
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import type { ScenarioContext } from '../context.ts';
import { collection } from './collection.ts';
import { copies } from './copied-objects.ts';
import { partly } from './delete-collection.ts';
import { fleeting } from './event-ttl.ts';
import { promises } from './guarantees.ts';
import { identities } from './identities.ts';
import { lists } from './lists.ts';
import { maps } from './map-patches.ts';
import { forms } from './media-types.ts';
import { owners } from './owners.ts';
import { changes } from './patches.ts';
import { refusals } from './preflight.ts';
import { type Session, sessionOf } from './session.ts';
import { older } from './v1beta1.ts';
import { rules } from './validation.ts';
import { versions } from './versions.ts';
import { writes } from './writes.ts';

const tasks: Record<string, (session: Session) => Promise<void>> = {
  ...writes,
  ...lists,
  ...collection,
  ...promises,
  ...changes,
  ...refusals,
  ...rules,
  ...forms,
  ...versions,
  ...owners,
  ...maps,
  ...identities,
  ...partly,
  ...fleeting,
  ...older,
  ...copies,
};
const names = Object.keys(tasks);
/** The number of concurrent tasks, which must not affect each other. */
const several = 3;

const infrastructures = pathOf('AWSCluster');
const beginning = 'beginning';
const beginInfrastructure = ({ ask }: Session) =>
  ask('POST', infrastructures, 201, {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSCluster',
    metadata: { name: beginning },
    spec: { region: 'eu-central-1' },
  });

export const playObjects = async (context: ScenarioContext, times: number, number: number): Promise<void> => {
  const { client, draw, clock, tell, world } = context;
  const session = sessionOf(context);
  // Consecutive lives cover all tasks.
  const own = Array.from({ length: times }, (_, index) => names[(number * times + index) % names.length]!);
  const lane = async (part: readonly string[]) => {
    for (const name of part) {
      await sleep(clock, draw.spread(100, 60_000));
      tell(name);
      await tasks[name]!(session);
    }
  };
  // Without infrastructure the installation would take the planted resources for orphans.
  await beginInfrastructure(session);
  await Promise.all(
    Array.from({ length: several }, (_, start) => lane(own.filter((_, index) => index % several === start))),
  );
  // A frozen server may still create an object that was requested before.
  world.mirror.onCommit(({ event, object }) => {
    if (event === 'ADDED' && object?.metadata.name === beginning)
      client.remove('AWSCluster', beginning).catch(world.mirror.breaks);
  });
  await session.ask('DELETE', `${infrastructures}/${beginning}`, 200);
};
