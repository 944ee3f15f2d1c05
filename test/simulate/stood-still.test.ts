import { expect, it } from 'vitest';
import { play } from './script.ts';

it('takes away what a worker launched for a machine that was gone meanwhile', () =>
  play({ at: 'before cloud.RunInstances', minutes: 30 }, true, async (script) => {
    const { client, wish, arm, pass, until, settle, names, resources } = script;
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
    await until('it goes on', () => resources('instance').length === 3);
    await pass(20);
    expect(resources('instance')).toEqual(before);
  }));

it('deletes a cluster with what a worker launched for a machine that was gone meanwhile', () =>
  play({ at: 'before cloud.RunInstances', minutes: 10 }, true, async (script) => {
    const { client, wish, arm, pass, until, settle, names, resources } = script;
    await settle();
    arm();
    wish.workers = 2;
    await client.scale('MachineDeployment', 'c0-workers', 2);
    await pass(1);
    wish.workers = 1;
    await client.scale('MachineDeployment', 'c0-workers', 1);
    await until('it goes on', () => resources('instance').length === 3);
    await client.remove('Cluster', 'c0');
    await pass(20);
    expect(names('Cluster')).toEqual([]);
    expect(resources('instance')).toEqual([]);
  }));

it('takes away a secret that a worker made after the last cluster was gone', () =>
  play({ at: 'before cloud.CreateSecret', minutes: 90 }, true, async (script) => {
    const { client, wish, arm, pass, until, settle, names, resources } = script;
    await settle();
    arm();
    wish.workers = 2;
    await client.scale('MachineDeployment', 'c0-workers', 2);
    await pass(1);
    expect(script.hasStruck()).toBe(true);
    await client.remove('Cluster', 'c0');
    await pass(60);
    expect(names('Cluster')).toEqual([]);
    expect(resources('secret')).toEqual([]);
    await until('it goes on', () => resources('secret').length === 1);
    await pass(40);
    expect(resources('secret')).toEqual([]);
  }));

it('keeps one of two instances when an attempt succeeds that was refused before, and given up', () =>
  play({ at: 'before cloud.RunInstances', minutes: 20 }, true, async (script) => {
    const { client, wish, arm, refuse, until, settle, resources } = script;
    await settle();
    const before = resources('instance');
    arm();
    wish.workers = 2;
    await client.scale('MachineDeployment', 'c0-workers', 2);
    await until('it stands still', script.hasStruck);
    const relent = refuse('RunInstances', 'InsufficientInstanceCapacity');
    await script.pass(10);
    expect(resources('instance')).toEqual(before);
    relent();
    await until('another attempt succeeds', () => resources('instance').length === 3);
    const after = resources('instance');
    await until('the first one succeeds, too', () => resources('instance').length === 4);
    await script.pass(20);
    expect(resources('instance')).toEqual(after);
    await settle();
  }));
