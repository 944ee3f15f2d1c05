import type { KubeObject } from '../../../machinery/api/object.ts';
import { anyObject } from '../../../machinery/api/schema.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { service as facts } from './kind.ts';

type Service = KubeObject<{ type?: string; clusterIP?: string; ports?: { port: number; protocol?: string }[] }>;
const none = '<none>';

/** The list is always empty; clients such as `kubectl cluster-info` only list services. */
export const service = defineBuiltIn({
  ...facts,
  shortNames: ['svc'],
  categories: ['all'],
  verbs: ['get', 'list', 'watch'],
  version: {
    description: 'A network address of a set of pods; Capstan itself has none.',
    fields: { spec: anyObject('How the service is reached.'), status: anyObject('Where the service is reached.') },
    columns: [
      { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'How it is exposed.' },
      {
        name: 'Cluster-IP',
        type: 'string',
        jsonPath: '.spec.clusterIP',
        description: 'Its address inside the cluster.',
      },
      { name: 'External-IP', type: 'string', value: () => none, description: 'Its addresses outside the cluster.' },
      {
        name: 'Port(s)',
        type: 'string',
        value: (object) =>
          (object as Service).spec?.ports?.map(({ port, protocol }) => `${port}/${protocol ?? 'TCP'}`).join(',') ??
          none,
        description: 'Its ports.',
      },
      age,
    ],
  },
});
