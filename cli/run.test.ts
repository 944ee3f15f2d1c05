import { describe, expect, it } from 'vitest';
import { createProgram } from './program.ts';
import { separated } from './run.ts';

describe('KIND/NAME', () => {
  it.each([
    { typed: 'describe cluster/prod', means: 'describe cluster prod' },
    { typed: '--kubeconfig a/b describe cluster/prod -n x', means: '--kubeconfig a/b describe cluster prod -n x' },
    { typed: 'cancel clop/prod-upgrade-1', means: 'cancel clop prod-upgrade-1' },
    { typed: 'describe cluster prod', means: 'describe cluster prod' },
    { typed: 'describe cluster cluster/prod', means: 'describe cluster cluster/prod' },
    { typed: 'rollout status machinedeployment/workers', means: 'rollout status machinedeployment/workers' },
    { typed: 'scale explain web/pod --cluster prod', means: 'scale explain web/pod --cluster prod' },
    { typed: 'describe machine/prod', means: 'describe machine/prod' },
  ])('$typed', ({ typed, means }) => expect(separated(createProgram(), typed.split(' ')).join(' ')).toBe(means));
});
