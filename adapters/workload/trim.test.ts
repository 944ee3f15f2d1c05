import { describe, expect, it } from 'vitest';
import { trimTo } from './trim.ts';

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web', uid: 'u', labels: { app: 'web' } },
  spec: { nodeName: 'a', containers: [{ name: 'one', image: 'i', command: ['run'] }, { name: 'two' }] },
};
const identity = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'web' } };

describe('an object trimmed to', () => {
  it.each([
    { what: 'no fields has its kind and name', paths: [], keeps: {} },
    { what: 'a field has it whole', paths: ['spec'], keeps: { spec: object.spec } },
    {
      what: 'an absent field lacks it',
      paths: ['status.phase', 'spec.nodeName.first'],
      keeps: { spec: { nodeName: 'a' } },
    },
    {
      what: 'a field of the items of a list has each',
      paths: ['spec.containers.name'],
      keeps: { spec: { containers: [{ name: 'one' }, { name: 'two' }] } },
    },
    { what: 'a field and one below it has it whole', paths: ['spec', 'spec.nodeName'], keeps: { spec: object.spec } },
    {
      what: 'a field below and then the whole one has it whole',
      paths: ['spec.nodeName', 'spec'],
      keeps: { spec: object.spec },
    },
    {
      what: 'more of its metadata has all of it',
      paths: ['metadata.name', 'metadata'],
      keeps: { metadata: object.metadata },
    },
  ])('$what', ({ paths, keeps }) => {
    expect(trimTo(paths)(object)).toEqual({ ...identity, ...keeps });
  });
});
