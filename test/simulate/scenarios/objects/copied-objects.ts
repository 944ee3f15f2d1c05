/**
 * An object created from a copy of another starts anew, whatever annotations controllers wrote on
 * the original.
 */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { pathOf } from '../../clients/client.ts';
import type { Session } from './session.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
/** Kinds that create nothing without a Cluster. */
const sorts = [
  {
    kind: 'AWSMachine',
    apiVersion: infrastructure,
    spec: { instanceType: 't3.large' },
    notes: { launch: '{"attempt":1}', pending: '{}' },
  },
  {
    kind: 'AWSCluster',
    apiVersion: infrastructure,
    spec: { region: 'eu-central-1' },
    notes: { pending: '{}', filled: '[]', 'cluster-uid': 'of-another' },
  },
  {
    kind: 'KubeadmConfig',
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    spec: { preKubeadmCommands: ['echo so'] },
    notes: { filled: '[]' },
  },
];

export const copies = {
  'create from a copy': async (session: Session) => {
    const { draw, expect, world } = session;
    const { kind, apiVersion, spec, notes } = draw.pick(sorts);
    const name = session.newName();
    const noted = Object.fromEntries(Object.entries(notes).map(([note, text]) => [`capstan.dev/${note}`, text]));
    const metadata = { name, annotations: { ...noted, 'example.com/said': 'so' } };
    await session.ask('POST', pathOf(kind), 201, { apiVersion, kind, metadata, spec });
    const { annotations } = (await session.ask('GET', `${pathOf(kind)}/${name}`, 200)).metadata;
    expect(`the user's annotation on ${name}`, annotations?.['example.com/said'], 'so');
    await session.ask('DELETE', `${pathOf(kind)}/${name}`, 200);
    await session.eventually(`the end of ${name}`, () => !world.mirror.get<KubeObject>(kind, 'default', name));
  },
};
