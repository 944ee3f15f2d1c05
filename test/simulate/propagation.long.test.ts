/** Deletions with propagation policies other than kubectl's default. */
import { expect, it } from 'vitest';
import { pathOf } from './clients/client.ts';
import { play, type Script } from './script.ts';

const undisturbed = { at: 'nowhere', minutes: 0 };

const remove = ({ client }: Script, kind: string, name: string, propagationPolicy: 'Foreground' | 'Orphan') =>
  client.request('DELETE', `${pathOf(kind)}/${name}`, { propagationPolicy });

it('removes the etcd member of a control-plane Machine before a foreground deletion ends', () =>
  play(undisturbed, true, async (script) => {
    const { desired, client, settle, names, until } = script;
    desired.controlPlanes = 3;
    await client.patch('KubeadmControlPlane', 'c0-control-plane', { spec: { replicas: 3 } });
    await settle();
    const [name = ''] = names('Machine').filter((one) => one.startsWith('c0-control-plane'));
    await remove(script, 'Machine', name, 'Foreground');
    await until('it is gone', () => !names('Machine').includes(name));
    await settle();
  }));

it.each(['MachineDeployment', 'MachineSet'])('completes the deletion of a %s that orphans its dependents', (kind) =>
  play(undisturbed, true, async (script) => {
    const { settle, names, pass } = script;
    await settle();
    const [name = ''] = names(kind);
    await remove(script, kind, name, 'Orphan');
    await pass(10);
    expect(names(kind)).not.toContain(name);
  }));
