/** The CEL environments of admission: variables and their types. */
import type { Environment } from '@marcbachmann/cel-js';
import type { Variable } from '../api/admission.ts';
import { baseEnvironment, type Checked, check, compilerOf } from '../cel/program.ts';
import { authorizerType, registerAuthorizer } from './authorizer.ts';
import { registerPatches } from './patches.ts';

const strings = { map: 'map<string, string>', list: 'list<string>' };

const registerRequest = (of: Environment): Environment =>
  of
    .registerType('kubernetes.GroupVersionKind', { fields: { group: 'string', version: 'string', kind: 'string' } })
    .registerType('kubernetes.GroupVersionResource', {
      fields: { group: 'string', version: 'string', resource: 'string' },
    })
    .registerType('kubernetes.UserInfo', {
      fields: { username: 'string', uid: 'string', groups: strings.list, extra: 'map<string, list<string>>' },
    })
    .registerType('kubernetes.AdmissionRequest', {
      fields: {
        kind: 'kubernetes.GroupVersionKind',
        resource: 'kubernetes.GroupVersionResource',
        subResource: 'string',
        requestKind: 'kubernetes.GroupVersionKind',
        requestResource: 'kubernetes.GroupVersionResource',
        requestSubResource: 'string',
        name: 'string',
        namespace: 'string',
        operation: 'string',
        userInfo: 'kubernetes.UserInfo',
        dryRun: 'bool',
        options: 'dyn',
      },
    });

const registerNamespace = (of: Environment): Environment =>
  of
    .registerType('kubernetes.NamespaceMetadata', {
      fields: {
        name: 'string',
        generateName: 'string',
        namespace: 'string',
        labels: strings.map,
        annotations: strings.map,
        UID: 'string',
        creationTimestamp: 'google.protobuf.Timestamp',
        deletionGracePeriodSeconds: 'int',
        deletionTimestamp: 'google.protobuf.Timestamp',
        generation: 'int',
        resourceVersion: 'string',
        finalizers: strings.list,
      },
    })
    .registerType('kubernetes.NamespaceSpec', { fields: { finalizers: strings.list } })
    .registerType('kubernetes.NamespaceStatus', { fields: { conditions: 'list', phase: 'string' } })
    .registerType('kubernetes.Namespace', {
      fields: {
        metadata: 'kubernetes.NamespaceMetadata',
        spec: 'kubernetes.NamespaceSpec',
        status: 'kubernetes.NamespaceStatus',
      },
    });

/** Evaluates the expressions of admission. */
const evaluating = registerAuthorizer(baseEnvironment.clone());
export const compile = compilerOf(evaluating);
/** Of expressions that make a patch. */
export const compilePatch = compilerOf(registerPatches(evaluating.clone()));

const checking = registerNamespace(
  registerRequest(registerAuthorizer(baseEnvironment.clone({ unlistedVariablesAreDyn: false }))),
);

export interface Declared {
  hasParams: boolean;
  hasAuthorizer: boolean;
  /** The expressions make patches. */
  hasPatches?: boolean;
  /** Registers the types of `object` and `params`, and names them; dyn by default. */
  types?: (of: Environment) => { object: string; params: string };
}

/** An environment that knows the variables of a policy's expressions. */
const declaring = ({ hasParams, hasAuthorizer, hasPatches = false, types }: Declared): Environment => {
  const environment = checking.clone();
  if (hasPatches) registerPatches(environment);
  const { object, params } = types?.(environment) ?? { object: 'dyn', params: 'dyn' };
  environment
    .registerVariable('object', object)
    .registerVariable('oldObject', object)
    .registerVariable('namespaceObject', 'kubernetes.Namespace')
    .registerVariable('request', 'kubernetes.AdmissionRequest');
  if (hasParams) environment.registerVariable('params', params);
  if (hasAuthorizer) environment.registerVariable('authorizer', authorizerType);
  return environment;
};

/** Checks expressions whose variables precede them, in the order in which a policy lists these. */
export interface Checker {
  variable(variable: Variable): Checked;
  expression(expression: string): Checked;
}

const variablesType = 'kubernetes.variables';

export const checkerOf = (declared: Declared): Checker => {
  const known: Record<string, string> = {};
  let environment: Environment | undefined;
  const withVariables = (): Environment => {
    environment ??= declaring(declared)
      .registerType(variablesType, { fields: { ...known } })
      .registerVariable('variables', variablesType);
    return environment;
  };
  return {
    expression: (expression) => check(expression, withVariables()),
    variable: ({ name, expression }) => {
      const checked = check(expression, withVariables());
      known[name] = 'type' in checked ? checked.type : 'dyn';
      environment = undefined;
      return checked;
    },
  };
};
