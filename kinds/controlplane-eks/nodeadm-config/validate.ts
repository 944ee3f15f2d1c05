import type { FieldError } from '../../../machinery/api/kind.ts';
import { invalidValue } from '../../common/validate.ts';
import type { NodeadmConfigSpec } from './schema.ts';

export const validateNodeadmSpec = (
  { files = [], users = [], kubelet }: NodeadmConfigSpec,
  at: string,
): FieldError[] => {
  const paths = files.map(({ path }) => path);
  return [
    ...files.flatMap(({ path, content, contentFrom }, i) => [
      ...(content !== undefined && contentFrom
        ? [
            invalidValue(
              `${at}.files[${i}]`,
              path,
              'only one of content and contentFrom may be specified for a single file',
            ),
          ]
        : []),
      ...(paths.indexOf(path) < i
        ? [invalidValue(`${at}.files[${i}].path`, path, 'path property must be unique among all files')]
        : []),
    ]),
    ...users.flatMap(({ name, passwd, passwdFrom }, i) =>
      passwd !== undefined && passwdFrom
        ? [
            invalidValue(
              `${at}.users[${i}]`,
              name,
              'only one of passwd and passwdFrom may be specified for a single user',
            ),
          ]
        : [],
    ),
    ...(kubelet?.flags ?? []).flatMap((flag, i) =>
      flag.startsWith('--') ? [] : [invalidValue(`${at}.kubelet.flags[${i}]`, flag, 'must begin with --')],
    ),
  ];
};
