import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { kubeadmConfigTemplateConversion as convert } from './convert.ts';

const of = (version: string, kubeletExtraArgs: unknown) => ({
  apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
  kind: 'KubeadmConfigTemplate',
  metadata: { name: 'quickstart-md-0', namespace: 'default' },
  spec: {
    template: {
      metadata: { labels: { tier: 'worker' } },
      spec: {
        joinConfiguration: { nodeRegistration: { kubeletExtraArgs, name: '{{ ds.meta_data.local_hostname }}' } },
      },
    },
  },
});

describe('conversion', () => {
  const older = of('v1beta1', { 'cloud-provider': 'external' });
  const newer = of('v1beta2', [{ name: 'cloud-provider', value: 'external' }]);
  it('converts the spec of the template', () => expect(convert.toStorage(older)).toEqual(newer));
  it('preserves timeouts that v1beta1 lacks', () => {
    const spec = { joinConfiguration: { timeouts: { tlsBootstrapSeconds: 30, discoverySeconds: 90 } } };
    const read = convert.fromStorage({ ...newer, spec: { template: { spec } } } as KubeObject);
    const edited = convert.toStorage({ ...read, spec: { template: {} } });
    const left = { joinConfiguration: { timeouts: { discoverySeconds: 90 } } };
    expect(edited.spec).toEqual({ template: { spec: left } });
  });
  it('converts it back', () => expect(convert.fromStorage(newer)).toEqual(older));
});
