import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { invalidValue, validateTemplateMetadata } from '../../common/validate.ts';
import { isTopologyDryRun } from '../../core/contract/topology.ts';
import { validateClusterSpec } from '../aws-cluster/validate.ts';
import { defaultedTemplate } from './defaults.ts';
import type { AWSClusterTemplate } from './schema.ts';

const at = 'spec.template.spec';
const inTemplate = (errors: FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, field: error.field.replace(/^spec\b/, at) }));

export const validate = (object: AWSClusterTemplate, admission: Admission): FieldError[] => {
  const { template } = object.spec ?? {};
  if (!template || admission.operation === 'delete') return [];
  const before = (admission.old as AWSClusterTemplate | undefined)?.spec?.template;
  // Earlier versions stored fewer defaults.
  const isSame = before && (equal(before, template) || equal(defaultedTemplate(before), template));
  const isChanged = before && !isTopologyDryRun(object, admission) && !isSame;
  return [
    ...inTemplate(validateClusterSpec(template.spec, before?.spec)),
    ...validateTemplateMetadata('spec.template.metadata', template.metadata),
    ...(isChanged ? [invalidValue('spec', object.spec, 'AWSClusterTemplate.Spec is immutable')] : []),
  ];
};
