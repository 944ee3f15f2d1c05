import { expect, it } from 'vitest';
import { play } from './script.ts';

it('takes away what a worker launched for a machine that was gone meanwhile', () =>
  play({ at: 'before cloud.RunInstances', minutes: 30 }, true, async (script) => {
    const { client, wish, arm, pass, settle, names, resources } = script;
    await settle();
    const before = resources('instance');
    arm();
    wish.workers = 2;
    await client.scale('MachineDeployment', 'c0-workers', 2);
    await pass(1);
    expect(script.hasStruck()).toBe(true);
    wish.workers = 1;
    await client.scale('MachineDeployment', 'c0-workers', 1);
    await pass(10);
    expect(names('AWSMachine')).toHaveLength(2);
    expect(resources('instance')).toEqual(before);
    await pass(22);
    expect(resources('instance')).toHaveLength(3);
    await pass(60);
    expect(resources('instance')).toEqual(before);
  }));

it('deletes a cluster with what a worker launched for a machine that was gone meanwhile', () =>
  play({ at: 'before cloud.RunInstances', minutes: 10 }, true, async (script) => {
    const { client, wish, arm, pass, settle, names, resources } = script;
    await settle();
    arm();
    wish.workers = 2;
    await client.scale('MachineDeployment', 'c0-workers', 2);
    await pass(1);
    wish.workers = 1;
    await client.scale('MachineDeployment', 'c0-workers', 1);
    await pass(11);
    expect(script.hasStruck()).toBe(true);
    expect(resources('instance')).toHaveLength(3);
    await client.remove('Cluster', 'c0');
    await pass(20);
    expect(names('Cluster')).toEqual([]);
    expect(resources('instance')).toEqual([]);
  }));
