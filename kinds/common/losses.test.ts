import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { conversionData, keepingLosses } from './conversion.ts';
import { losses, putBack } from './losses.ts';

const around = (labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Example',
  metadata: { name: 'one' },
  ...({ spec: { labels } } as object),
});

describe('a field that conversion would lose', () => {
  it.each(['app', 'constructor', 'toString', 'hasOwnProperty'])('is restored under the name %s', (name) => {
    const lost = losses({ spec: { labels: {} } }, { spec: { labels: { [name]: 'kept' } } });
    expect(lost).toEqual([[['spec', 'labels', name], null, 'kept']]);
    expect(putBack(around({}), lost)).toEqual(around({ [name]: 'kept' }));
  });
  it.each(['app', 'constructor'])('is removed again under the name %s', (name) => {
    const lost = losses({ spec: { labels: { [name]: 'made up' } } }, { spec: { labels: {} } });
    expect(putBack(around({ [name]: 'made up' }), lost)).toEqual(around({}));
  });
});

it.each([
  'no JSON',
  '7',
  '["x"]',
  '[7, [[], null, {}]]',
  '[["spec"]]',
  '[[null, null, {}]]',
  '[[7]]',
])('an annotation that no conversion writes, such as %s, is ignored', (note) => {
  const same = (object: KubeObject): KubeObject => object;
  const object = around({ app: 'one' });
  const metadata = { ...object.metadata, annotations: { [conversionData]: note } };
  expect(keepingLosses(same, same)({ ...object, metadata })).toEqual(object);
});
