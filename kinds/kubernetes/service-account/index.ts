import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, listMap, object, string } from '../../../machinery/api/schema.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { serviceAccount as facts } from './kind.ts';

type ServiceAccount = KubeObject & { secrets?: unknown[] };

const mergedByName = { 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' };

const secret = object('A reference to a Secret.', {
  kind: string('The kind of the object.'),
  namespace: string('The namespace of the object.'),
  name: string('The name of the object.'),
  uid: string('The uid of the object.'),
  apiVersion: string('The apiVersion of the object.'),
  resourceVersion: string('The version of the object that is meant.'),
  fieldPath: string('The part of the object that is meant.'),
});

export const serviceAccount = defineBuiltIn({
  ...facts,
  shortNames: ['sa'],
  version: {
    description: 'An identity for programs, such as controllers and pipelines; tokens authenticate as it.',
    fields: {
      secrets: listMap(
        'Secrets that pods of the account may use; Capstan does not act on it.',
        ['name'],
        secret,
        mergedByName,
      ),
      imagePullSecrets: listMap(
        'Secrets with which pods of the account pull images; Capstan does not act on it.',
        ['name'],
        object('A Secret in the same namespace.', { name: string('The name of the Secret.') }),
        mergedByName,
      ),
      automountServiceAccountToken: boolean('Whether pods of the account get a token; Capstan does not act on it.'),
    },
    columns: [
      {
        name: 'Secrets',
        type: 'string',
        value: (account) => (account as ServiceAccount).secrets?.length ?? 0,
        description: 'Number of Secrets that it names.',
      },
      age,
    ],
  },
});
