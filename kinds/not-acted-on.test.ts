import { describe, expect, it } from 'vitest';
import type { Admission } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { kinds } from './index.ts';
import { table } from './not-acted-on.ts';

/** Values that satisfy the condition of an entry. */
const telling: unknown[] = [
  'ipv6',
  'enabled',
  'ignition',
  'alb',
  'host',
  'CapacityBlock',
  'AWSClusterStaticIdentity',
  'wavelength-zone',
  'resource-name',
  'ssm-parameter-store',
  'Enabled',
  true,
  { any: 'thing' },
];

const place = (path: string[], value: unknown): Record<string, unknown> => {
  const [step = '', ...rest] = path;
  const inner = rest.length > 0 ? place(rest, value) : value;
  const name = step.replace('[]', '');
  return { [name]: step.endsWith('[]') ? [inner] : inner };
};

const withField = (kind: string, path: string, value: unknown): KubeObject => {
  const { metadata, ...rest } = place(path.split('.'), value);
  return { apiVersion: 'any/v1', kind, ...rest, metadata: { name: 'n', ...(metadata as object) } };
};

const admission: Admission = { operation: 'create', user: { username: 'u', groups: [] }, dryRun: false };

describe('an unsupported field', () => {
  it.each(table)('$kind $path warns the client that sets it', ({ kind, path, feature, when = () => true }) => {
    const value = telling.find((one) => when(one, withField(kind, path, one)));
    expect(value, 'a value for which the entry applies').toBeDefined();
    const definition = kinds.find((known) => known.kind === kind)!;
    const warnings = definition.warn!(withField(kind, path, value), admission);
    expect(warnings).toContain(`${path}: ${feature}: accepted and stored, but not acted on`);
  });

  it.each(table)('gives no warning for an unset $kind $path', ({ kind }) => {
    const definition = kinds.find((known) => known.kind === kind)!;
    const warnings = definition.warn!({ apiVersion: 'any/v1', kind, metadata: { name: 'n' }, spec: {} }, admission);
    expect(warnings.filter((text) => text.includes('not acted on'))).toEqual([]);
  });
});
