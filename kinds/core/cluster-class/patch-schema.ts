/** How a ClusterClass changes its templates for a Cluster. */
import { anything, boolean, object, oneOf, required, string, stringMap } from '../../../machinery/api/schema.ts';
import { type ApiVersion, groupVersion, inV1beta2, kindName } from '../../common/schema.ts';
import { listOf } from './variable-schema.ts';

const extension = (what: string) =>
  string(`The extension that ${what}, as name.configuration.`, { minLength: 1, maxLength: 512 });

const external = (version: ApiVersion) => {
  // The types are those of v1beta2, which is stored.
  const [generate, validate] = (
    version === 'v1beta2'
      ? ['generatePatchesExtension', 'validateTopologyExtension']
      : ['generateExtension', 'validateExtension']
  ) as ['generatePatchesExtension', 'validateTopologyExtension'];
  return object('A patch by extensions.', {
    discoverVariablesExtension: extension('defines variables'),
    [generate]: extension('generates the patches'),
    settings: stringMap('Settings that the extensions are called with.'),
    [validate]: extension('validates the patched templates'),
  });
};

const names = (version: ApiVersion, what: string) =>
  object(`Templates of classes of ${what}.`, {
    names: listOf(
      version,
      'Names of the classes; * at the start or the end stands for any text.',
      string('A name.', { minLength: 1, maxLength: 256 }),
      { maxItems: 100 },
    ),
  });

const selector = (version: ApiVersion) =>
  object('The templates to change.', {
    apiVersion: required(
      version === 'v1beta2'
        ? string('API group and version of the templates.', { minLength: 1, maxLength: 317, pattern: groupVersion })
        : string('API group and version of the templates.', { minLength: 1, maxLength: 512 }),
    ),
    kind: required(
      version === 'v1beta2'
        ? string('Kind of the templates.', { minLength: 1, maxLength: 63, pattern: kindName })
        : string('Kind of the templates.', { minLength: 1, maxLength: 256 }),
    ),
    matchResources: required(
      object(
        'Where the class uses the templates.',
        {
          controlPlane: boolean('Templates of the control plane and of its machines.'),
          infrastructureCluster: boolean('The template of the infrastructure.'),
          machineDeploymentClass: names(version, 'MachineDeployments'),
          machinePoolClass: names(version, 'MachinePools'),
        },
        inV1beta2(version, { minProperties: 1 }),
      ),
    ),
  });

const jsonPatch = object('A JSON patch.', {
  op: required(oneOf('What it does.', ['add', 'replace', 'remove'])),
  path: required(string('JSON pointer of the field, within spec.', { minLength: 1, maxLength: 512 })),
  value: anything('The value.'),
  valueFrom: object('Where the value comes from.', {
    template: string('A Go template that renders to YAML or JSON, with the variables as data.', {
      minLength: 1,
      maxLength: 10240,
    }),
    variable: string('A variable or a field of one, such as names[0].first.', { minLength: 1, maxLength: 256 }),
  }),
});

export const patches = (version: ApiVersion) =>
  listOf(
    version,
    'Changes of the templates, in order.',
    object('A named group of changes.', {
      definitions: listOf(
        version,
        'Changes by JSON patches.',
        object('Changes of some templates.', {
          jsonPatches: required(
            listOf(version, 'The JSON patches, in order.', jsonPatch, {
              maxItems: 100,
              ...inV1beta2(version, { minItems: 1 }),
            }),
          ),
          selector: required(selector(version)),
        }),
        { maxItems: 100 },
      ),
      description: string('What the patch is for.', { minLength: 1, maxLength: 1024 }),
      enabledIf: string('A Go template; the patch applies if it renders to true.', { minLength: 1, maxLength: 256 }),
      external: external(version),
      name: required(string('Name of the patch.', { minLength: 1, maxLength: 256 })),
    }),
    { maxItems: 1000, ...inV1beta2(version, { minItems: 1 }) },
  );
