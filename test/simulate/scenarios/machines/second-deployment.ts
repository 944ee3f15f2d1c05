/** A second MachineDeployment for a while, which works or cannot get machines. */

import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';

const minute = 60_000;

export const createSecondDeployment = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  const { mirror } = world;
  await settled(60);
  const { spec } = mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context)) ?? {};
  const offer = mirror.get<KubeObject<{ template: { spec: object } }>>(
    'AWSMachineTemplate',
    'default',
    `${desired.name}-${desired.instanceType}`,
  );
  if (!spec || !offer) return;
  const isPossible = draw.chance(0.5);
  const name = `${desired.name}-others`;
  const metadata = { name, namespace: 'default' };
  const instanceType = isPossible ? desired.instanceType : 'x9.imagined';
  const template: KubeObject = {
    apiVersion: offer.apiVersion!,
    kind: 'AWSMachineTemplate',
    metadata,
    spec: { template: { spec: { ...offer.spec!.template.spec, instanceType } } },
  };
  const machine = { ...spec.template.spec, infrastructureRef: { ...spec.template.spec.infrastructureRef, name } };
  const others: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata,
    spec: { clusterName: desired.name, replicas: 1, selector: { matchLabels: {} }, template: { spec: machine } },
  };
  const known = life.documents;
  life.documents = [...known, template, others];
  for (const object of [template, others]) await client.apply(object);
  const own = () =>
    mirror
      .all<Machine>('Machine')
      .filter(({ metadata: { labels } }) => labels?.['cluster.x-k8s.io/deployment-name'] === name);
  const areRunning = () => own().length === 1 && own().every(({ status }) => status?.phase === 'Running');
  if (isPossible) await comes(context, `a machine of ${name}`, areRunning, 'RemoteConnectionProbe');
  await sleep(clock, draw.spread(minute, 30 * minute));
  await client.remove('MachineDeployment', name);
  const areGone = () => own().length === 0 && !mirror.get('MachineDeployment', 'default', name);
  await comes(context, `the end of ${name}`, areGone, 'RemoteConnectionProbe');
  await client.remove('AWSMachineTemplate', name);
  life.documents = known;
};
