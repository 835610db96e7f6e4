;;; job.el --- A user's job with Packhound in eglot  -*- lexical-binding: t -*-
;; emacs -Q --batch -l CONFIGURATION -l job.el; CONFIGURATION is the code of docs/emacs.md. JOB
;; names a JSON file with {root, cmd, report}.
(require 'cl-lib)
(require 'json)
(require 'xref)

(defvar job (with-temp-buffer
              (insert-file-contents (getenv "JOB"))
              (json-parse-buffer :object-type 'plist :array-type 'list)))
(defvar job-steps nil)
(defvar job-patience 240)

(defmacro job-step (name &rest body)
  "Run BODY; what it raises is the problem of the step NAME."
  (declare (indent 1))
  `(push (condition-case problem
             (progn ,@body (list :name ,name))
           (error (list :name ,name :problem (format "%S" problem))))
         job-steps))

(defun job-check (value what)
  (unless value (error "%s" what)))

;; A number would be waited for only until the server's first message, which may be one for the log.
(setq eglot-sync-connect t eglot-connect-timeout job-patience)
(setq packhound-command (append (plist-get job :cmd) nil))
(setq packhound-settings '(:search (:limit 5)))

(job-step "eglot attaches"
  (find-file (expand-file-name "courier/cache.py" (plist-get job :root)))
  (call-interactively #'packhound-start)
  (job-check (eglot-current-server) "no server")
  (job-check (eglot-managed-p) "the buffer is not managed")
  (packhound-request :packhound/status '(:wait t)))

(job-step "symbols are found by name"
  (let* ((found (xref-backend-apropos 'eglot "AnswerCache"))
         (place (and found (xref-item-location (car found)))))
    (job-check place "nothing was found")
    (job-check (string-suffix-p "courier/cache.py" (xref-location-group place))
               (xref-location-group place))))

(job-step "a prose query finds the right function first, within the limit"
  (let ((hits (plist-get (packhound-request
                          :packhound/search
                          '(:query "send a request again after a growing delay"))
                         :hits)))
    (job-check (equal (plist-get (aref hits 0) :name) "send_with_retries") (format "%S" hits))
    (job-check (<= (length hits) 5) (format "%d hits" (length hits)))))

(job-step "M-x packhound-search lists results in the server's order"
  (packhound-search "send a request again after a growing delay")
  (with-current-buffer "*packhound*"
    (goto-char (point-min))
    (forward-line)
    (job-check (looking-at "courier/retry\\.py:[0-9]+: function send_with_retries  \\(exact\\|strong\\|likely\\|possible\\|weak\\)")
               (buffer-string))
    (job-check (derived-mode-p 'grep-mode) "the list cannot be walked with next-error"))
  (job-check (bound-and-true-p flymake-mode) "no Flymake whose errors could be taken for results")
  (save-window-excursion
    (save-current-buffer
      (next-error)
      (with-current-buffer (window-buffer)
        (job-check (string-suffix-p "retry.py" (buffer-file-name)) (format "%S" (window-list)))
        (goto-char (window-point))
        (job-check (looking-at ".*def send_with_retries") (thing-at-point 'line))))))

(job-step "hover explains a result"
  (with-current-buffer (find-file-noselect
                        (expand-file-name "courier/retry.py" (plist-get job :root)))
    (unless (eglot-managed-p) (eglot--maybe-activate-editing-mode))
    (goto-char (point-min))
    (search-forward "def send_with")
    (let ((hover (packhound-request :textDocument/hover (eglot--TextDocumentPositionParams))))
      (job-check (string-match-p ", #1 for send a request" (format "%S" hover)) (format "%S" hover)))))

(job-step "what the server says of an answer comes first, and a note is listed"
  (packhound-search "path:nowhere/** cache")
  (with-current-buffer "*packhound*"
    (job-check (string-match-p "\\`[0-9]+ results.*\nnote: " (buffer-string)) (buffer-string)))
  (packhound-request :packhound/memory/add '(:type "insight" :content "Zebras are striped"))
  (packhound-search "type:note zebras")
  (with-current-buffer "*packhound*"
    (job-check (string-match-p "^note Zebras" (buffer-string)) (buffer-string))))

(job-step "related code is listed"
  (goto-char (point-min))
  (search-forward "def drop_expired")
  (packhound-related)
  (with-current-buffer "*packhound*"
    (job-check (string-match-p "^courier/.*:[0-9]+: " (buffer-string)) (buffer-string))))

(defun job-listed (pattern)
  (with-current-buffer "*packhound*"
    (job-check (string-match-p pattern (buffer-string)) (buffer-string))))

(job-step "lines are listed, and the best is opened"
  (packhound-grep "raise \\w+Error")
  (job-listed "\\`[0-9]+ lines in [0-9]+ files\n")
  (job-listed "^courier/retry\\.py:[0-9]+: +raise GaveUpError"))

(job-step "what calls a definition is listed, with its tests"
  (with-current-buffer (find-file-noselect
                        (expand-file-name "courier/retry.py" (plist-get job :root)))
    (unless (eglot-managed-p) (eglot--maybe-activate-editing-mode))
    (goto-char (point-min))
    (search-forward "def backoff_")
    (packhound-symbol)
    (job-listed "^courier/retry\\.py:28: called by send_with_retries$")
    (job-listed "^tests/test_retry\\.py:[0-9]+: test test_delays_grow$")
    (packhound-about)
    (job-listed "backoff_delays")))

(job-step "what is not committed is listed, with the tests to run"
  (with-current-buffer (find-file-noselect
                        (expand-file-name "courier/retry.py" (plist-get job :root)))
    (goto-char (point-min))
    (search-forward "delay = FIRST_DELAY_S")
    (insert "\n    delay = delay * 3")
    (packhound-changes)
    (job-listed "^courier/retry\\.py:[0-9]+: changed backoff_delays$")
    (job-listed "^tests/test_retry\\.py:1: test to run  ")
    (job-listed ": caller send_with_retries$")
    (set-buffer-modified-p nil)))

(job-step "a pack has the code of the prompt"
  (packhound-pack "mend the retries of courier/retry.py")
  (with-current-buffer "*packhound pack*"
    (job-check (string-match-p "def send_with_retries" (buffer-string)) (buffer-string))
    (job-check buffer-read-only "it can be edited")))

(job-step "a buffer without a mode of its own is refused in one sentence"
  (with-current-buffer (find-file-noselect
                        (expand-file-name "limiter/bucket.go" (plist-get job :root)))
    (condition-case problem
        (progn (packhound-start) (error "it was not refused"))
      (user-error (job-check (string-match-p "this buffer has none" (cadr problem))
                             (format "%S" problem))))))

(job-step "unsaved text is found"
  (with-current-buffer (find-file-noselect
                        (expand-file-name "courier/urls.py" (plist-get job :root)))
    (unless (eglot-managed-p) (eglot--maybe-activate-editing-mode))
    (goto-char (point-max))
    (insert "\n\ndef fold_zebra_stripes(é):\n    \"\"\"😋\"\"\"\n")
    (job-check (buffer-modified-p) "not modified")
    (eglot--signal-textDocument/didChange)
    (let ((hits (plist-get (packhound-request :packhound/search '(:query "fold_zebra_stripes"))
                           :hits)))
      (job-check (equal (plist-get (aref hits 0) :name) "fold_zebra_stripes") (format "%S" hits)))
    (set-buffer-modified-p nil)))

(job-step "it ends in order"
  (with-current-buffer (find-file-noselect
                        (expand-file-name "courier/cache.py" (plist-get job :root)))
    (eglot-shutdown (eglot-current-server))))

;; The JSON is bytes already: what a problem quotes may not be ASCII, and nobody is there to choose.
(let ((coding-system-for-write 'no-conversion))
  (with-temp-file (plist-get job :report)
    (set-buffer-multibyte nil)
    (insert (json-serialize (list :version emacs-version
                                  :steps (vconcat (nreverse job-steps)))))))
(kill-emacs 0)
;;; job.el ends here
