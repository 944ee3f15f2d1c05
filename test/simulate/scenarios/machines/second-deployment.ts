/** A second MachineDeployment for a while, which works or cannot get machines. */

import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { deployment, type Scene } from '../context.ts';
import { comes } from '../progress.ts';

const minute = 60_000;

export const createSecondDeployment = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  const { mirror } = world;
  await settled(60);
  const { spec } = mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(scene)) ?? {};
  const offer = mirror.get<KubeObject<{ template: { spec: object } }>>(
    'AWSMachineTemplate',
    'default',
    `${wish.name}-${wish.instanceType}`,
  );
  if (!spec || !offer) return;
  const isPossible = draw.chance(0.5);
  const name = `${wish.name}-others`;
  const metadata = { name, namespace: 'default' };
  const instanceType = isPossible ? wish.instanceType : 'x9.imagined';
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
    spec: { clusterName: wish.name, replicas: 1, selector: { matchLabels: {} }, template: { spec: machine } },
  };
  const known = life.documents;
  life.documents = [...known, template, others];
  for (const object of [template, others]) await client.apply(object);
  const own = () =>
    mirror
      .all<Machine>('Machine')
      .filter(({ metadata: { labels } }) => labels?.['cluster.x-k8s.io/deployment-name'] === name);
  const areRunning = () => own().length === 1 && own().every(({ status }) => status?.phase === 'Running');
  if (isPossible) await comes(scene, `a machine of ${name}`, areRunning, 'RemoteConnectionProbe');
  await sleep(clock, draw.spread(minute, 30 * minute));
  await client.remove('MachineDeployment', name);
  const areGone = () => own().length === 0 && !mirror.get('MachineDeployment', 'default', name);
  await comes(scene, `the end of ${name}`, areGone, 'RemoteConnectionProbe');
  await client.remove('AWSMachineTemplate', name);
  life.documents = known;
};
