import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { TextAreaField, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { useAboutSum } from './about';

interface EditTransactionProps {
  readonly transaction: Schemas['RetrievedTransactionResponse'];
  readonly onClose: () => void;
}

/** Changes the reference and the metadata of a transaction. */
export function EditTransactionDialog({ transaction: current, onClose }: EditTransactionProps) {
  const { adjustments, edit: t, fields } = useMessages();
  const [transaction] = useState(current); // the page reads it again meanwhile
  const { id, reference, metadata } = transaction;
  const about = useAboutSum()(transaction);
  const form = `edit:${id}`;
  const [referenceText, setReference] = useDraft(form, 'reference', reference ?? '');
  const [metadataText, setMetadata] = useDraft(form, 'metadata', JSON.stringify(metadata, null, 2));
  const typed = parseObject(metadataText);
  const removed = Object.keys(metadata).filter((key) => typed !== null && !(key in typed));
  return (
    <ActionDialog
      title={t.account}
      about={about}
      text={t.transactionText}
      confirm={t.save}
      done={t.transactionSaved}
      form={form}
      isReady={typed !== null}
      onClose={onClose}
      run={() =>
        api.patch('/v1/transactions/{transaction_id}', {
          params: { path: { transaction_id: id } },
          body: {
            reference: referenceText.trim() || null,
            metadata: { ...Object.fromEntries(removed.map((key) => [key, null])), ...typed },
          },
        })
      }
    >
      <TextField
        label={adjustments.reference}
        autoFocus
        maxLength={255}
        value={referenceText}
        onChange={setReference}
      />
      <TextAreaField
        label={fields.metadata}
        hint={format(t.metadataHint, { sample: '{"order": 77}' })}
        rows={6}
        value={metadataText}
        onChange={setMetadata}
        isInvalid={typed === null}
      />
    </ActionDialog>
  );
}

/** @returns null for what is not a JSON object */
function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
