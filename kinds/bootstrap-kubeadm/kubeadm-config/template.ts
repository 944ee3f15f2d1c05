/** Files whose content is a template; its values all come from the control plane. */

export interface TemplateValues {
  controlPlaneVersion: string | undefined;
}

/** The content, or why it cannot be rendered. */
export const renderTemplate = (
  text: string,
  { controlPlaneVersion }: TemplateValues,
): { content: string } | { fault: string } => {
  let fault: string | undefined;
  const content = text.replaceAll(
    /(\s*)\{\{(-?)\s*(.*?)\s*(-?)\}\}(\s*)/gs,
    (all, before, trim, field, trimAfter, after) => {
      if (field !== '.controlPlane.version') fault = `{{ ${field} }} is not known`;
      else if (controlPlaneVersion === undefined) fault = 'the version of the control plane is not known yet';
      else return `${trim ? '' : before}${controlPlaneVersion}${trimAfter ? '' : after}`;
      return all;
    },
  );
  return fault === undefined ? { content } : { fault };
};
