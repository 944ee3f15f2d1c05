/**
 * A Machine without a set or a control plane. Its user writes its bootstrap config and its host.
 */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { ScenarioContext } from '../context.ts';
import { manifestOf } from '../manifest.ts';
import { comes } from '../progress.ts';

const minute = 60_000;

/** The documents, with the options of the cluster's workers, in any order. */
const documentsOf = ({ desired, draw }: ScenarioContext, name: string): KubeObject[] => {
  const templates = manifestOf(desired);
  const specOf = (kind: string, template: string) => {
    const { spec } = templates.find((one) => one.kind === kind && one.metadata.name === template)!;
    return (spec as { template: { spec: object } }).template.spec;
  };
  const own = (kind: string, group: string, spec: object): KubeObject => ({
    apiVersion: `${group}/v1beta2`,
    kind,
    metadata: { name, namespace: 'default' },
    spec: { ...spec },
  });
  const bootstrap = 'bootstrap.cluster.x-k8s.io';
  const infrastructure = 'infrastructure.cluster.x-k8s.io';
  const machine = {
    clusterName: desired.name,
    version: desired.workerVersion,
    bootstrap: { configRef: { apiGroup: bootstrap, kind: 'KubeadmConfig', name } },
    infrastructureRef: { apiGroup: infrastructure, kind: 'AWSMachine', name },
  };
  const documents = [
    own('KubeadmConfig', bootstrap, specOf('KubeadmConfigTemplate', `${desired.name}-workers`)),
    own('AWSMachine', infrastructure, specOf('AWSMachineTemplate', `${desired.name}-${desired.instanceType}`)),
  ];
  const last = own('Machine', 'cluster.x-k8s.io', machine);
  return draw.chance(0.5) ? [...documents, last] : [last, ...documents];
};

/** The machine joins. It is deleted by itself or with its cluster. */
export const createStandaloneMachine = async (context: ScenarioContext) => {
  const { client, clock, draw, life, desired, world } = context;
  const name = `${desired.name}-alone`;
  const documents = documentsOf(context, name);
  life.documents = [...life.documents.filter(({ metadata }) => metadata.name !== name), ...documents];
  for (const object of documents) await client.apply(object);
  const found = () => world.mirror.get<Machine>('Machine', 'default', name);
  const hasJoined = () => found()?.status?.phase === 'Running' || !found();
  if (draw.chance(0.7)) await comes(context, `a Node of ${name}`, hasJoined, 'Available');
  else await sleep(clock, draw.spread(1000, 10 * minute));
  if (draw.chance(0.5)) {
    life.desired = undefined;
    await client.remove('Cluster', desired.name);
  } else {
    await client.remove('Machine', name);
    await comes(context, `the end of ${name}`, () => !found(), 'RemoteConnectionProbe');
    // Its user deletes what the Machine had not adopted yet.
    for (const { kind } of documents) await client.remove(kind, name);
  }
};
