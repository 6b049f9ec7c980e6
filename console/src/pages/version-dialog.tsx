import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { SelectField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';

interface VersionProps {
  readonly pinned: Schemas['PinnedVersionResponse'];
  readonly about: string;
  readonly onClose: () => void;
}

/** Moves an account to another version of the API, in both directions, and shows what changes between the two. */
export function VersionDialog({ pinned, about, onClose }: VersionProps) {
  const { version: t } = useMessages().dashboard;
  const form = 'version';
  const [version, setVersion] = useDraft(form, 'version', pinned.newest);
  const passed = pinned.versions.filter((one) => isBetween(one.version, pinned.version, version));
  return (
    <ActionDialog
      title={t.change}
      about={about}
      text={t.text}
      confirm={t.change}
      done={t.done}
      form={form}
      isReady={version !== pinned.version}
      onClose={onClose}
      run={() => api.patch('/v1/account/version', { body: { version } })}
    >
      <SelectField
        label={t.version}
        value={version}
        onChange={setVersion}
        options={pinned.versions.map((one) => [one.version, one.version] as const)}
      />
      {/* The document of the API says it in English. */}
      <ul lang="en">
        {passed.flatMap((one) =>
          one.changes.map((change) => <li key={change}>{change.replaceAll('`', '')}</li>),
        )}
      </ul>
    </ActionDialog>
  );
}

/** Whether a version comes after one of two others, and not after the other. Versions are dates. */
function isBetween(version: string, one: string, other: string): boolean {
  const [older, newer] = [one, other].toSorted() as [string, string];
  return version > older && version <= newer;
}
