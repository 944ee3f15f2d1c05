/** A cluster and the clients that act on it. */
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Clock } from '../../../machinery/ports.ts';
import type { Client } from '../clients/client.ts';
import type { Dice } from '../dice.ts';
import type { World } from '../site.ts';
import { type DesiredCluster, manifestOf } from './manifest.ts';

export interface Life {
  name: string;
  /** What the users want in the end; undefined when they want the cluster gone. */
  desired: DesiredCluster | undefined;
  /** All documents that the users applied. */
  documents: readonly KubeObject[];
  /** Whether the cluster is lost beyond repair. */
  isRuined?: boolean;
  /** Whether its users have what their objects do not tell, such as a node for each pod. */
  isServed?: () => boolean;
}

/** The documents of this cluster only. Other clusters may need the rest. */
export const ownDocuments = ({ name, documents }: Life): KubeObject[] =>
  documents.filter(({ metadata }) => metadata.name.startsWith(name));

export interface ScenarioContext {
  client: Client;
  draw: Dice;
  clock: Clock;
  world: World;
  life: Life;
  desired: DesiredCluster;
  settled: (minutes: number) => Promise<void>;
  tell: (what: string) => void;
}

/** A cluster of the same name in another namespace has machines of its own. */
const machinesOf = ({ world }: ScenarioContext): Machine[] =>
  world.mirror.all<Machine>('Machine').filter(({ metadata }) => metadata.namespace === 'default');

export const workersOf = (context: ScenarioContext): Machine[] =>
  machinesOf(context).filter(
    ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === `${context.desired.name}-workers`,
  );
export const controlPlanesOf = (context: ScenarioContext): Machine[] =>
  machinesOf(context).filter(({ metadata: { labels = {} } }) => {
    return (
      labels['cluster.x-k8s.io/cluster-name'] === context.desired.name && 'cluster.x-k8s.io/control-plane' in labels
    );
  });

export const deployment = ({ desired }: ScenarioContext) => `${desired.name}-workers`;
export const controlPlane = ({ desired }: ScenarioContext) => `${desired.name}-control-plane`;

export const applyAll = async ({ client, desired, life }: ScenarioContext) => {
  const documents = manifestOf(desired);
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;
  life.documents = [...new Map([...life.documents, ...documents].map((object) => [nameOf(object), object])).values()];
  for (const object of documents) await client.apply(object);
};
