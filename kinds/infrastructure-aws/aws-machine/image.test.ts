import { expect, it } from 'vitest';
import type { Image } from '../../ports/cloud/index.ts';
import { chosenImage, imageQuestion } from './image.ts';

const built = (CreationDate: string) => ({ ImageId: `ami-${CreationDate}`, CreationDate }) as Image;

it.each([
  { dates: [], chosen: undefined },
  { dates: ['2026-01-01T00:00:00.000Z'], chosen: 'ami-2026-01-01T00:00:00.000Z' },
  {
    dates: ['2026-01-15T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2025-12-24T00:00:00.000Z'],
    chosen: 'ami-2026-02-01T00:00:00.000Z',
  },
])('chooses the newest image of $dates', ({ dates, chosen }) => {
  expect(chosenImage(dates.map(built))?.ImageId).toBe(chosen);
});

const nameAsked = (question: ReturnType<typeof imageQuestion>) =>
  typeof question === 'string'
    ? question
    : (question.ImageIds ??
      `${question.Owners}: ${question.Filters?.map(({ Name, Values }) => `${Name}=${Values}`).join(' ')}`);
const defaults = 'state=available virtualization-type=hvm';

it.each([
  { why: 'one that is named', machine: { ami: { id: 'ami-1' } }, asks: ['ami-1'] },
  {
    why: 'what the provider publishes',
    asks: `819546954734: name=capa-ami-ubuntu-24.04-?1.35.0-* architecture=arm64 ${defaults}`,
  },
  {
    why: 'what the cluster says',
    cluster: {
      imageLookupOrg: '1',
      imageLookupBaseOS: 'mine',
      imageLookupFormat: '{{.BaseOS}}/{{ .K8sVersion }}/{{.X}}',
    },
    asks: `1: name=mine/1.35.0/{{.X}} architecture=arm64 ${defaults}`,
  },
  {
    why: 'what the machine says before what the cluster says',
    machine: { imageLookupOrg: '2', imageLookupBaseOS: 'own', imageLookupFormat: '{{.BaseOS}}' },
    cluster: { imageLookupOrg: '1', imageLookupBaseOS: 'mine', imageLookupFormat: 'x' },
    asks: `2: name=own architecture=arm64 ${defaults}`,
  },
  { why: 'nothing without a version', version: undefined, asks: 'needs a version' },
  { why: 'nothing without an architecture', architecture: undefined, asks: 'needs an architecture' },
])('queries images by $why', ({ asks, machine = {}, cluster = {}, ...facts }) => {
  const { version, architecture } = { version: 'v1.35.0', architecture: 'arm64', ...facts };
  expect(nameAsked(imageQuestion({ instanceType: 'm7g.large', ...machine }, cluster, version, architecture))).toEqual(
    asks,
  );
});
